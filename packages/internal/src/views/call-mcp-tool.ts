import { isOnlyForApps } from '../app-tools.js';
import type { CallToolOptions, JsonSchema, ToolArguments, ToolCallResult } from '../contracts.js';
import { copyJson } from '../json/copy-json.js';
import { isRecord } from '../json/json-values.js';
import { BUILT_IN_TOOLS, CALL_TOOL_NAME, SEARCH_TOOL_NAME } from '../names/built-in-tools.js';
import { quote } from '../text.js';
import { isRefusal, toErrorPayload } from './error-payloads.js';
import type { ToolView } from './tool-view.js';
import { peekTool } from './view-keys.js';

interface CallableView {
  list(): readonly ToolView[];
  get(name: string): ToolView | undefined;
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
}

type Surface = Pick<CallableView, 'get'>;

/**
 * Responds to `call_mcp_tool` for a view. A mistake in the request becomes a result that the model sees.
 *
 * @param surface - Has the tools that the caller can call directly.
 */
export async function callByName(
  view: CallableView,
  request: unknown,
  options: CallToolOptions,
  surface: Surface = view,
): Promise<ToolCallResult> {
  const read = readOrRefuse(request, surface);
  if ('refused' in read) return read.refused;
  const tool = peekTool(view, read.name);
  if (tool !== undefined && isOnlyForApps(tool)) {
    return toErrorPayload(refuse(`does not call ${quote(read.name)}, which is for the app of its server`));
  }
  try {
    return await view.call(read.name, read.args, options);
  } catch (error) {
    // A hidden tool is unknown like any other.
    if (isUnknownTool(error) && view.get(SEARCH_TOOL_NAME) === undefined) return view.call(CALL_TOOL_NAME);
    if (isMistake(error)) return toErrorPayload(error);
    throw error;
  }
}

function readOrRefuse(
  request: unknown,
  surface: Surface,
): ReturnType<typeof readCallRequest> | { readonly refused: ToolCallResult } {
  try {
    return readCallRequest(request, surface);
  } catch (error) {
    return { refused: toErrorPayload(error) };
  }
}

function isUnknownTool(error: unknown): boolean {
  return isRefusal(error) && error.code === 'unknown-tool';
}

function isMistake(error: unknown): boolean {
  return isRefusal(error) && ['unknown-tool', 'invalid-arguments', 'refused'].includes(error.code);
}

/** Pure, so that bundles that do not use it leave it out. */
export const CALL_TOOL_VIEW: ToolView = /* @__PURE__ */ callToolView();

function callToolView(): ToolView {
  const inputSchema = {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
        description: `As ${SEARCH_TOOL_NAME} gives it.`,
      },
      arguments: {
        type: 'object',
        default: {},
        description: "That tool's arguments, by its parameters.",
      },
    },
    required: ['name'],
    additionalProperties: false,
  };
  return Object.freeze({
    name: CALL_TOOL_NAME,
    server: undefined,
    tool: CALL_TOOL_NAME,
    title: 'Call a tool',
    description:
      `Calls a tool that ${SEARCH_TOOL_NAME} finds, and answers with its result. Arguments that do not fit are refused with ` +
      "the tool's signature.",
    inputSchema: copyJson(inputSchema) as JsonSchema,
    // Its effect is that of the called tool, so it declares none.
    annotations: Object.freeze({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    }),
    state: 'running',
  });
}

/** @throws {TypeError} The request is invalid; the message is for the model. */
function readCallRequest(args: unknown, surface: Surface): { readonly name: string; readonly args: ToolArguments } {
  if (!isRecord(args)) throw refuse('takes an object { "name", "arguments" }');
  const { name, arguments: given, ...others } = args;
  if (typeof name !== 'string' || name === '') {
    throw refuse(`needs "name", the name of a tool as ${SEARCH_TOOL_NAME} gives it`);
  }
  const [unknown] = Object.keys(others);
  // Without the intended arguments a tool would do something else than requested.
  if (unknown !== undefined) {
    throw refuse(
      `takes "name" and "arguments" only, got ${quote(unknown)}; what the tool takes belongs into "arguments"`,
    );
  }
  if (given !== undefined && given !== null && !isRecord(given)) {
    throw refuse(`takes "arguments" as an object, not as ${Array.isArray(given) ? 'a list' : `a ${typeof given}`}`);
  }
  refuseOwnName(name, surface);
  return { name, args: given ?? {} };
}

/** These tools cannot be called through one another. */
function refuseOwnName(name: string, surface: Surface): void {
  const wanted = name.trim().toLowerCase();
  if (!BUILT_IN_TOOLS.has(wanted)) return;
  if (wanted === CALL_TOOL_NAME) throw refuse('does not call itself; give the name of the tool that should run');
  if (surface.get(wanted) !== undefined) throw refuse(`does not call ${wanted}; call that directly`);
}

function refuse(message: string): TypeError {
  return new TypeError(`${CALL_TOOL_NAME} ${message}`);
}
