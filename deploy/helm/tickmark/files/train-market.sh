# One pod of the Job: trains the market of its index. A version that is better than the base goes to the registry; of those before it, KEEP stay.
set -eu
set -- $MARKETS
shift "$JOB_COMPLETION_INDEX"
market=$1
id=$market-$(date -u +%F)
code=0
node "$TICKMARK" train --market --data "$TICKS/$market" --since "$(date -u -d "-$WEEKS weeks" +%F)" --name "$id" $OPTIONS || code=$?
if [ "$code" = 3 ]; then
  echo "$market: not better than the base. The version before stays, if there is one."
  exit 0
fi
[ "$code" = 0 ] || exit "$code"
exec node "$TICKMARK" models push "$id" --keep "$KEEP"
