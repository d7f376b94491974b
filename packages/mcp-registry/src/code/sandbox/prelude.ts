/** Name of the program in stacks. */
export const PROGRAM = 'program';

/**
 * Runs in the sandbox before each program. Evaluates to the function that starts the program, with the function that
 * settles a call. It is a convenience of the program and no boundary: the program may replace all of it.
 */
export const PRELUDE = `(() => {
  const { send, log, end } = globalThis.__host;
  delete globalThis.__host;
  const { Promise, Map } = globalThis;
  const { parse, stringify } = JSON;
  const pending = new Map();
  let last = 0;
  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value);
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  };
  class ToolError extends Error { get name() { return 'ToolError'; } }
  const call = (name, args = {}) => new Promise((resolve, reject) => {
    const json = stringify(args) ?? 'null';
    const id = ++last;
    pending.set(id, { resolve, reject, error: new ToolError(name) });
    const refusal = send(id, name, json);
    if (refusal === undefined) return;
    pending.delete(id);
    reject(new Error(refusal));
  });
  globalThis.tools = new Proxy(Object.create(null), {
    get: (_, name) => typeof name === 'symbol' || name === 'then' ? undefined : (args) => call(name, args),
  });
  const print = (...values) => log(values.map(shown).join(' '));
  globalThis.console = { log: print, info: print, warn: print, error: print, debug: print };
  const fail = (error) => {
    const isError = error instanceof Error;
    end('threw', isError ? error.name + ': ' + error.message : shown(error), isError ? String(error.stack) : '');
  };
  const finish = (value) => {
    if (value === undefined) end('returned', '(The program returned nothing: use return.)', '');
    else end('returned', typeof value === 'string' ? value : stringify(value) ?? String(value), '');
  };
  return {
    start: (main) => { main().then(finish).catch(fail); },
    settle: (id, isOk, json) => {
      const { resolve, reject, error } = pending.get(id);
      pending.delete(id);
      if (isOk) return resolve(parse(json));
      error.message = parse(json);
      reject(error);
    },
  };
})()`;
