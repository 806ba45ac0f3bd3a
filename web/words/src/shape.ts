/** The same words in another language: every key, with the same things to fill in. A missing one does not compile. */
export type Same<T> = {
  readonly [K in keyof T]: T[K] extends (...fill: infer Fill) => string ? (...fill: Fill) => string : string;
};
