# tickmark for processors. How to build and run it: docs/how-to/docker.md. For NVIDIA GPUs: Dockerfile.gpu.
#
# The base image is pinned by tag. To pin it by content, look up the digest of the tag and pass both:
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim
#   docker build --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:… .
# Node.js 24 is the newest long-term support release that the tests run on (.ci/run).
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
# cpu: native TensorFlow and WebAssembly. none: WebAssembly only, less than half the image size.
ARG NATIVE=cpu

FROM ${NODE_IMAGE} AS base
WORKDIR /app

# npm installs what the lock file lists: this layer stays cached while only the sources change.
FROM base AS deps
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund

FROM deps AS build
COPY tsconfig.json tsconfig.build.json LICENSE ./
COPY bin bin
COPY src src
COPY clients/typescript/src clients/typescript/src
COPY clients/engine/src clients/engine/src
COPY training training
COPY rules rules
COPY models models
ARG REVISION=unknown
# File modes come from the clone: with a strict umask, the user of the image could not read the files.
RUN npm run build && chmod -R a+rX LICENSE package.json bin dist models rules

FROM deps AS modules-cpu
RUN npm prune --omit=dev --no-audit --no-fund

FROM modules-cpu AS modules-none
RUN npm uninstall --no-save --omit=dev --no-audit --no-fund @tensorflow/tfjs-node-gpu

# This is a stage of this file, so it has no tag.
# hadolint ignore=DL3006
FROM modules-${NATIVE} AS modules
# Source maps, type declarations and builds for browsers: more than half of the size, and nothing loads them.
RUN find node_modules -type f -regextype posix-extended -regex '.*([.](map|ts|mts|cts)|/miniprogram/.*|/tf[a-z-]*([.](es2017|fesm))?([.]min)?[.]js([.]html)?)' -delete

# Runs the same downloads and compilation as `npm run setup:native`; repeated only when one of these files changes.
FROM base AS native-cpu
# No versions: Debian keeps only the newest build of a package. None of these packages gets into the image.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends g++ make python3 python3-pip \
  && rm -rf /var/lib/apt/lists/*
COPY --from=deps /app ./
COPY scripts/setupNative.js scripts/
COPY src/core src/core
COPY src/engine/runtime src/engine/runtime
COPY src/engine/native src/engine/native
RUN node --import tsx scripts/setupNative.js

FROM base AS native-none
RUN mkdir .native

# This is a stage of this file, so it has no tag.
# hadolint ignore=DL3006
FROM native-${NATIVE} AS native

FROM base
RUN groupadd --gid 10001 tickmark \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin tickmark \
  && install --directory --owner=10001 --group=10001 /data
# Like an installed package, without sources: nothing is built at run time. Layers that change least come first.
COPY --from=native /app/.native .native
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/models models
COPY --from=build /app/rules rules
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist

# `docker stop` kills after 10 s: requests in flight must be finished before that.
ENV HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data \
    SHUTDOWN_GRACE_MS=8000
EXPOSE 8080
VOLUME ["/data"]
# A numeric id, so that Kubernetes can verify that it is not root.
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 CMD ["node", "/app/bin/healthCheck.js"]
# Node.js is process 1 and receives the signals itself.
ENTRYPOINT ["node", "/app/bin/tickmark.js"]
CMD ["serve"]

# Last: a new version or revision invalidates no layer.
ARG NODE_IMAGE
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="tickmark" \
      org.opencontainers.image.description="Self-hosted forecasts of trade opportunities from irregular millisecond ticks" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${NODE_IMAGE}"
