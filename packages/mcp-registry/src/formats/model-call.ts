import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import { peekTool, toErrorResult } from '@x/internal/views';
import type { RegistryView } from '../views/view.js';
import { withoutFilledNulls } from './filled-nulls.js';
import { schemaOf } from './shown-tools.js';

/**
 * Runs a model's call. Failures become results, even for invalid JSON and unknown tools.
 *
 * @throws The reason of `options.signal` when it aborts.
 */
export async function runModelCall(
  view: RegistryView,
  name: string,
  given: unknown,
  options: CallToolOptions = {},
): Promise<ToolCallResult> {
  try {
    const args = typeof given === 'string' ? parseArguments(name, given) : given;
    if (!isRecord(args ?? {})) throw new TypeError(`The arguments of ${name} must be an object`);
    return await view.call(name, withoutNulls(view, name, args ?? {}) as ToolArguments, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    return toErrorResult(error);
  }
}

/** Models often omit `{}` for tools without arguments. */
function parseArguments(name: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new TypeError(`The arguments of ${name} are not valid JSON: ${reason}. Call it again with a JSON object.`, {
      cause,
    });
  }
}

function withoutNulls(view: RegistryView, name: string, args: unknown): unknown {
  const tool = peekTool(view, name);
  return tool === undefined || !hasNull(args) ? args : withoutFilledNulls(args, schemaOf(tool));
}

function hasNull(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null;
  return Object.values(value).some(hasNull);
}
