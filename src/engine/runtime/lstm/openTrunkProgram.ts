import { instantiateLstmModule, instantiateRelaxedLstmModule } from './lstmModule.ts';
import { probeLstmProgram } from './probeLstm.ts';
import { SimdLstmProgram, type TrunkProgram } from './SimdLstmProgram.ts';

/** The program for serving: on the relaxed module if it is available and gives correct results, else `strict`. */
export async function openTrunkProgram(strict: SimdLstmProgram, instantiate = instantiateRelaxedLstmModule): Promise<SimdLstmProgram> {
  const module = await instantiate();
  if (module === undefined) return strict;
  const relaxed = new SimdLstmProgram(module);
  try {
    probeLstmProgram(relaxed);
    return relaxed;
  } catch {
    return strict;
  }
}

/** The same without TensorFlow.js, in Node.js or in a page. Throws WebAssembly.CompileError where SIMD is missing, and Error for wrong results. */
export async function openKernel(): Promise<TrunkProgram> {
  const strict = new SimdLstmProgram(await instantiateLstmModule());
  probeLstmProgram(strict);
  return openTrunkProgram(strict);
}
