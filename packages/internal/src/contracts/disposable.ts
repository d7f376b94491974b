// The global types of these names are in no library of TypeScript before `esnext.disposable`, and where they are missing and
// declarations are not checked, everything typed with them is silently `any`. These need no library and declare no global.

type DisposeSymbol = SymbolConstructor extends { readonly dispose: infer Key extends symbol } ? Key : never;
type AsyncDisposeSymbol = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol } ? Key : never;

/** What `using` takes: structurally the global `Disposable`. An empty object type where `Symbol.dispose` is not declared. */
export type Disposable = { [Key in DisposeSymbol]: () => void };

/** What `await using` takes: structurally the global `AsyncDisposable`. An empty object type as above. */
export type AsyncDisposable = { [Key in AsyncDisposeSymbol]: () => PromiseLike<void> };
