export function buildEngine(folder: string): void;
export function buildEngineChild(folder: string): void;
