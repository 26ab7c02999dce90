/** One thing that the set-up needs; with a remedy where it is missing. */
export type Requirement = { readonly name: string; readonly detail: string; readonly remedy?: string };
