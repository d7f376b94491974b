// TypeScript declares the global types only in `esnext.disposable`. Without that library, what is typed with them is
// silently `any`.

type DisposeSymbol = SymbolConstructor extends { readonly dispose: infer Key extends symbol } ? Key : never;
type AsyncDisposeSymbol = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol } ? Key : never;

/** Accepted by `using`: the global `Disposable`, or `{}` where `Symbol.dispose` is not declared. */
export type Disposable = { [Key in DisposeSymbol]: () => void };

/** Accepted by `await using`: the global `AsyncDisposable`, or `{}` as above. */
export type AsyncDisposable = { [Key in AsyncDisposeSymbol]: () => PromiseLike<void> };
