// TypeScript declares the global types of these names only in `esnext.disposable`. Without that library, and with
// unchecked declarations, everything typed with them is silently `any`. These types need no library and declare no
// global.

type DisposeSymbol = SymbolConstructor extends { readonly dispose: infer Key extends symbol } ? Key : never;
type AsyncDisposeSymbol = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol } ? Key : never;

/**
 * Accepted by `using`: structurally the global `Disposable`. An empty object type where `Symbol.dispose` is not
 * declared.
 */
export type Disposable = { [Key in DisposeSymbol]: () => void };

/** Accepted by `await using`: structurally the global `AsyncDisposable`. An empty object type as above. */
export type AsyncDisposable = { [Key in AsyncDisposeSymbol]: () => PromiseLike<void> };
