/** `Promise.withResolvers`, which Node 20 does not have, for a promise of nothing but its end. */
export function withResolvers() {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
