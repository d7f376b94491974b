import type { CallToolOptions, SourceCallOptions } from '../contracts.js';

/** Key of the options that a gateway passes on to the source. A global symbol, because two bundles use it. */
const PASSED_ON: unique symbol = Symbol.for('@x/mcp-registry.passed-on');

/** Options that only the source reads. */
export type PassedOn = Pick<SourceCallOptions, 'params' | 'inputRequired'>;

/** Options for `call` of a view, whose own have neither of the two. */
export function passingOn(given: CallToolOptions & PassedOn): CallToolOptions {
  if (!('params' in given || 'inputRequired' in given)) return given;
  const { params, inputRequired, ...options } = given;
  const passed = { ...(params && { params }), ...(inputRequired && { inputRequired }) };
  return { ...options, [PASSED_ON]: passed } as CallToolOptions;
}

export function passedOn(options: CallToolOptions & { readonly [PASSED_ON]?: PassedOn }): PassedOn | undefined {
  return options[PASSED_ON];
}

const FOR_PROGRAM: unique symbol = Symbol.for('@x/mcp-registry.for-program');

/** Options of a call whose result a program gets. */
export function forProgram(options: CallToolOptions): CallToolOptions {
  return { ...options, [FOR_PROGRAM]: true } as CallToolOptions;
}

export function isForProgram(options: CallToolOptions & { readonly [FOR_PROGRAM]?: true }): boolean {
  return options[FOR_PROGRAM] === true;
}
