// A child that reports what TensorFlow would find in its environment.
const { CUDA_VISIBLE_DEVICES, SHOWN } = process.env;
process.send?.({ works: false, reason: `${CUDA_VISIBLE_DEVICES} ${SHOWN}` }, () => process.exit(0));
