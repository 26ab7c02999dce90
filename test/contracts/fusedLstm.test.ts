import { fusedLstmContract } from './fusedLstm.ts';

fusedLstmContract('cpu');
fusedLstmContract('wasm');
