import type { NativeVariant } from '../runtime/nativeParts.ts';

/** A wheel with shared libraries from the Python package index. */
export type Wheel = {
  readonly project: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Prefixes of the paths to unpack. */
  readonly needed: readonly string[];
  /** Size of the unpacked files. */
  readonly unpackedBytes: number;
};

export const TENSORFLOW_VERSION = '2.21.0';
export const TFJS_NODE_VERSION = '4.22.0';

/** Libraries and C headers: 0.9 of 1.3 GB, 180 of 15,700 files. */
const NEEDED_OF_TENSORFLOW = [
  'tensorflow/libtensorflow_',
  'tensorflow/include/tensorflow/c/',
  'tensorflow/include/tensorflow/core/platform/ctstring',
  'tensorflow/include/tsl/',
  'tensorflow/include/xla/tsl/c/',
];
const TAG = 'cp312-cp312-manylinux_2_27_x86_64';

/** Wheels of each variant. The CUDA wheels are those of TensorFlow's `and-cuda` extra. */
export const WHEELS: Readonly<Record<NativeVariant, readonly Wheel[]>> = {
  cpu: [
    {
      project: 'tensorflow-cpu',
      version: TENSORFLOW_VERSION,
      file: `tensorflow_cpu-${TENSORFLOW_VERSION}-${TAG}.whl`,
      sha256: 'dcc8afd32930e42d5296b6ee19078b773706830af4ea97fbe503b9f5e0f820cb',
      bytes: 274_000_871,
      needed: NEEDED_OF_TENSORFLOW,
      unpackedBytes: 854_961_482,
    },
  ],
  cuda: [
    {
      project: 'tensorflow',
      version: TENSORFLOW_VERSION,
      file: `tensorflow-${TENSORFLOW_VERSION}-${TAG}.whl`,
      sha256: 'b3b95643c4e70eb925839938fb35cbe142f317ec84af6844ee61513713bb13c0',
      bytes: 572_611_111,
      needed: NEEDED_OF_TENSORFLOW,
      unpackedBytes: 1_260_724_429,
    },
    cuda(
      'cublas',
      '12.9.3.13',
      'manylinux_2_27_x86_64',
      'd7d51055f161b317c7105ddaae90e71eda059026074ffef93cf7cde2886bfe72',
      581_217_458,
      855_661_803,
    ),
    cuda(
      'cuda-cupti',
      '12.9.79',
      'manylinux_2_25_x86_64',
      '096bcf334f13e1984ba36685ad4c1d6347db214de03dbb6eebb237b41d9d934f',
      10_814_997,
      44_537_974,
    ),
    cuda(
      'cuda-nvcc',
      '12.9.86',
      'manylinux2010_x86_64.manylinux_2_12_x86_64',
      '5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0',
      40_546_229,
      98_892_849,
    ),
    cuda(
      'cuda-nvrtc',
      '12.9.86',
      'manylinux2010_x86_64.manylinux_2_12_x86_64',
      '210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4',
      89_568_129,
      227_387_311,
    ),
    cuda(
      'cuda-runtime',
      '12.9.79',
      'manylinux2014_x86_64.manylinux_2_17_x86_64',
      '25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3',
      3_493_179,
      9_547_359,
    ),
    cuda(
      'cudnn',
      '9.28.0.42',
      'manylinux_2_27_x86_64',
      '9ff58b7f36dacd0a93e89f8f2957b52466889217963701daa15e577317cfa375',
      716_538_495,
      1_163_594_794,
    ),
    cuda(
      'cufft',
      '11.4.1.4',
      'manylinux2014_x86_64.manylinux_2_17_x86_64',
      'c67884f2a7d276b4b80eb56a79322a95df592ae5e765cf1243693365ccab4e28',
      200_877_592,
      293_659_685,
    ),
    cuda(
      'curand',
      '10.3.10.19',
      'manylinux_2_27_x86_64',
      '49b274db4780d421bd2ccd362e1415c13887c53c214f0d4b761752b8f9f6aa1e',
      68_295_626,
      169_070_076,
    ),
    cuda(
      'cusolver',
      '11.7.5.82',
      'manylinux_2_27_x86_64',
      '15da72d1340d29b5b3cf3fd100e3cd53421dde36002eda6ed93811af63c40d88',
      338_117_415,
      495_233_963,
    ),
    cuda(
      'cusparse',
      '12.5.10.65',
      'manylinux2014_x86_64.manylinux_2_17_x86_64',
      '73060ce019ac064a057267c585bf1fd5a353734151f87472ff02b2c5c9984e78',
      366_465_088,
      486_855_743,
    ),
    cuda(
      'nccl',
      '2.32.3',
      'manylinux_2_27_x86_64',
      'bb94b2348e4861d5e8aa00b36c3d12d9bdf9c6369b82cbb723de0b582280a21c',
      351_526_311,
      490_597_602,
    ),
    cuda(
      'nvjitlink',
      '12.9.86',
      'manylinux2010_x86_64.manylinux_2_12_x86_64',
      'e3f1171dbdc83c5932a45f0f4c99180a70de9bd2718c1ab77d14104f6d7147f9',
      39_748_338,
      95_952_824,
    ),
  ],
};

export function cuda(part: string, version: string, tag: string, sha256: string, bytes: number, unpackedBytes: number): Wheel {
  const project = `nvidia-${part}-cu12`;
  const file = `${project.replaceAll('-', '_')}-${version}-py3-none-${tag}.whl`;
  return { project, version, file, sha256, bytes, needed: [`nvidia/${part.replaceAll('-', '_')}/`], unpackedBytes };
}
