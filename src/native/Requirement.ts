/** One thing that the setup needs; `remedy` is set if it is missing. */
export type Requirement = { readonly name: string; readonly detail: string; readonly remedy?: string };
