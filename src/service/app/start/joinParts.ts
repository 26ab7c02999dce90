import { buildCommit, packageVersion } from '../../../core/packageRoot.ts';
import { sampleRequest } from '../../../ticks/sampleRequest.ts';
import type { HttpParts } from '../../http/HttpParts.ts';
import type { AccountParts } from '../joinAccounts.ts';
import type { JoinedAlerts } from '../joinAlerts.ts';
import type { TrackRecordParts } from '../joinTrackRecord.ts';
import { modelDirectory } from '../modelDirectory.ts';
import { rulesDirectory } from '../rulesDirectory.ts';
import { versionFiles } from '../versionFiles.ts';
import type { OpenedModels } from './openModels.ts';

/** What the routes call. */
export function joinParts(
  accounts: AccountParts & TrackRecordParts & JoinedAlerts['parts'] & Pick<HttpParts, 'rates' | 'memories' | 'markets'>,
  { open, folders }: OpenedModels,
): HttpParts {
  const { forecaster, models, inputs, shadow, ruleSet } = open;
  return {
    ...accounts,
    forecast: (request, options) => forecaster.forecast(request, options),
    models: modelDirectory(models, { inputs, shadow, files: versionFiles(folders, models, ruleSet) }),
    rules: rulesDirectory(ruleSet),
    sample: sampleRequest(),
    isServing: () => open.isUp(),
    ready: {
      status: 'ready',
      version: packageVersion(),
      commit: buildCommit(),
      get model() {
        return models.defaultId;
      },
      get backend() {
        return open.runtime.backend;
      },
      get device() {
        return open.runtime.description;
      },
      get refused() {
        return open.runtime.refused.map(({ candidate, reason }) => ({ candidate, reason }));
      },
    },
  };
}
