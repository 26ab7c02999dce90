{{- define "tickmark.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "tickmark.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "tickmark.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "tickmark.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "tickmark.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tickmark.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tickmark.labels" -}}
{{ include "tickmark.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tickmark.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "tickmark.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "tickmark.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- /* Whether others than the cluster reach the service; empty: no. */}}
{{- define "tickmark.isPublic" -}}
{{- if or .Values.ingress.enabled (ne .Values.service.type "ClusterIP") }}true{{ end }}
{{- end }}

{{- /* The settings of the chart, over which those of the user come. */}}
{{- define "tickmark.settings" -}}
HOST: 0.0.0.0
PORT: '8080'
DATA_DIR: /data
KEY_OUTAGE_MS: '600000'
LIMITS_SHARED: 'true'
LOCAL_KEY: 'off'
LOG_FORMAT: json
METRICS_HOST: 0.0.0.0
METRICS_PORT: {{ ternary .Values.metrics.port 0 .Values.metrics.enabled | toString | quote }}
SHUTDOWN_GRACE_MS: {{ .Values.shutdownGraceMs | int | toString | quote }}
{{- if include "tickmark.isPublic" . }}
SIGNUP: closed
{{- end }}
TRUST_PROXY: {{ .Values.ingress.enabled | quote }}
WORKERS: {{ .Values.workers | int | toString | quote }}
{{- end }}

{{- /* The environment of every container. toString would write a number of a million as 1e+06. */}}
{{- define "tickmark.env" -}}
- name: MONGODB_URI
  valueFrom:
    secretKeyRef:
      name: {{ required "mongodb.existingSecret is required: a Secret with the URI of the database" .Values.mongodb.existingSecret }}
      key: {{ .Values.mongodb.key }}
{{- range $name, $value := mergeOverwrite (include "tickmark.settings" . | fromYaml) .Values.settings }}
- name: {{ $name }}
  value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* What every pod and every container has in common. */}}
{{- define "tickmark.pod" -}}
serviceAccountName: {{ include "tickmark.serviceAccountName" . }}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "tickmark.container" -}}
image: {{ include "tickmark.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}
