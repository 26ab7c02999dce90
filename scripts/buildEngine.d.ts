export function buildEngine(folder: string): void;
