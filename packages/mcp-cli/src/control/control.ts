import type { daemonMethods, Method, serverMethods, Type } from './methods.js';
import type { ValuesOf } from './params.js';

/**
 * Requests of commands to servers in this process or in the daemon. Options and results are plain data. Failures are
 * `ControlError`s. An aborted `signal` ends the wait with its reason.
 */
export interface Control extends ControlOf<typeof serverMethods>, AsyncDisposable {}

/** Requests to a daemon. */
export interface DaemonControl extends Control, ControlOf<typeof daemonMethods> {}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Handles a server request. The server receives the `message` of an error, and an integer `code` with `data`. */
export type HandleServerRequest = (question: unknown, options: { readonly signal: AbortSignal }) => Promise<unknown>;

/** The requests of a table for callers. */
export type ControlOf<Table> = {
  readonly [Name in keyof Table]: (...options: Arguments<OptionsOf<Table[Name]>>) => OutcomeOf<Table[Name]>;
};

/** The same for implementations: options are required. */
export type Handlers<Table> = {
  readonly [Name in keyof Table]: (options: OptionsOf<Table[Name]>) => OutcomeOf<Table[Name]>;
};

export type ServerHandlers = Handlers<typeof serverMethods>;
export type DaemonHandlers = Handlers<typeof daemonMethods>;

/** A control with the function that `make` returns for each row. */
export function mapMethods<Table extends Readonly<Record<string, Method>>>(
  table: Table,
  make: (name: keyof Table & string, row: Method) => unknown,
): ControlOf<Table> {
  const entries = Object.entries(table).map(([name, row]) => [name, make(name, row)] as const);
  return Object.fromEntries(entries) as ControlOf<Table>;
}

/** Parameters, listeners and signal of one request. */
type OptionsOf<Row> = WaitOptions & ParamsOf<Row> & ListenersOf<Row> & RequestHandlerOf<Row>;
type ParamsOf<Row> = Row extends { readonly params: infer Shape } ? ValuesOf<Shape> : unknown;
type ListenersOf<Row> = Row extends { readonly listeners: infer Items }
  ? { readonly [Name in keyof Items]?: ((item: ValueOf<Items[Name]>) => void) | undefined }
  : unknown;
type RequestHandlerOf<Row> = Row extends { readonly forwardsRequests: true }
  ? { readonly onServerRequest?: HandleServerRequest | undefined }
  : unknown;

type OutcomeOf<Row> = Row extends { readonly streams: Type<infer Item> }
  ? AsyncIterable<Item>
  : Row extends { readonly result: infer Result }
    ? Promise<ValueOf<Result>>
    : Promise<void>;

type ValueOf<Each> = Each extends Type<infer Value> ? Value : never;

/** Options may be omitted where none is required. */
type Arguments<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];
