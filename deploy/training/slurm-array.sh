#!/bin/bash
# Trains a base in parts on a Slurm cluster (docs/how-to/training-in-parts.md):
#
#   parts=$(sbatch --parsable --array=1-8 slurm-array.sh)
#   sbatch --dependency=afterok:"$parts" slurm-array.sh join
#
# Change the options of `train` below. TICKMARK is a clone or an installed package, DATA_DIR a folder that all nodes mount.
#SBATCH --job-name=tickmark-train
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --time=24:00:00
set -euo pipefail

TICKMARK=${TICKMARK:-$HOME/tickmark}
export DATA_DIR=${DATA_DIR:-$HOME/tickmark-data}
name=base-mine
options=(--data "$DATA_DIR/ticks" --base --seeds 3 --name "$name" --device wasm)

if [ "${1:-}" = join ]; then
  exec node "$TICKMARK/bin/tickmark.js" train "${options[@]}" --join
fi

part=$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX
# A task that was stopped resumes.
if [ -e "$DATA_DIR/training/runs/$name.part-${part/\//-of-}/run.json" ]; then options+=(--resume); fi
exec node "$TICKMARK/bin/tickmark.js" train "${options[@]}" --part "$part"
