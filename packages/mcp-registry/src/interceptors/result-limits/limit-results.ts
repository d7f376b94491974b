import { appLinkOf, isOnlyForApps, mayShowApps } from '@x/internal/app-tools';
import type { ContentBlock, ToolCallResult } from '@x/internal/contracts';
import { toErrorPayload } from '@x/internal/error-payloads';
import { READ_RESULT_TOOL_NAME, SEARCH_TOOL_NAME } from '@x/internal/names';
import { milliseconds, optionTable } from '@x/internal/options';
import { quote } from '@x/internal/text';
import type { InterceptedCall, InterceptedRead, InterceptedResult, Interceptor, ToolView } from '@x/internal/views';
import { isRegistryError } from '../../errors.js';
import { KeptResults } from './kept-results.js';
import { withCutForm } from './output-schema.js';
import { mistake, READ_RESULT_TOOL, readRequest, readResult } from './read-result-tool.js';
import { contentsOf } from './result-contents.js';
import { fieldTokens, resultFieldTokens, TOKENS_PER_BLOCK } from './result-fields.js';
import { noticeBlocks, previewOf } from './result-preview.js';
import { fieldsOfResult, payloadOf } from './result-text.js';
import { lengthWithin } from './token-estimate.js';

/** Options of `limitResults`. */
export interface ResultLimitOptions {
  /**
   * Longest result, preview and page, in tokens of a model: an estimate, which is seldom too low. Data of images
   * and sounds does not count. Default 2000.
   */
  readonly maxTokens?: number | undefined;
  /** Longest images and sounds of a result, in characters of base64 together. Default 262 144. */
  readonly maxMediaCharacters?: number | undefined;
  /** Characters of all results that are kept, with about 100 more for each block. Default 67 108 864. */
  readonly maxKeptCharacters?: number | undefined;
  /** The same for one role and principal. Default 33 554 432. */
  readonly maxKeptCharactersPerCaller?: number | undefined;
  /** How long a result is kept, in milliseconds. Default one hour. */
  readonly keepMs?: number | undefined;
}

const characters = { kind: 'number', of: 'characters', min: 0 } as const;
const limitOptions = optionTable<ResultLimitOptions>()({
  maxTokens: { kind: 'number', of: 'tokens', min: 500, default: 2_000 },
  maxMediaCharacters: { ...characters, default: 262_144 },
  maxKeptCharacters: { ...characters, default: 67_108_864 },
  maxKeptCharactersPerCaller: { ...characters, default: 33_554_432 },
  keepMs: { ...milliseconds, default: 3_600_000 },
});

type LimitPolicy = ReturnType<typeof limitOptions.read>;

/**
 * Cuts long results to a preview. The caller reads the rest with `read_mcp_result`, page by page or by a search, or as a
 * resource through a gateway. Results for programs of `execute_mcp_code`, and for MCP Apps of clients that show apps, stay whole.
 *
 * @throws {TypeError} naming the option that is unknown or out of bounds.
 */
export function limitResults(options?: ResultLimitOptions): Interceptor {
  return new ResultLimits(limitOptions.read(options)).interceptor;
}

const NOTICE_TOKENS = 150;

class ResultLimits {
  readonly #policy: LimitPolicy;
  readonly #kept: KeptResults;

  constructor(policy: LimitPolicy) {
    this.#policy = policy;
    this.#kept = new KeptResults(policy, () => performance.now());
  }

  get interceptor(): Interceptor {
    return {
      name: 'limit-results',
      tools: [READ_RESULT_TOOL],
      list: (tool) => (isOwn(tool, SEARCH_TOOL_NAME) ? tool : withCutForm(tool)),
      call: (call, next) => (isOwn(call.tool, READ_RESULT_TOOL_NAME) ? this.#answer(call) : next()),
      result: (result, call) => this.#limit(result, call),
      read: (read, next) => this.#read(read) ?? next(),
    };
  }

  #limit(result: ToolCallResult, { tool, caller, isForProgram, handler }: InterceptedResult): ToolCallResult {
    const { maxTokens, maxMediaCharacters, keepMs } = this.#policy;
    const app = mayShowApps(handler) ? appOf(tool) : undefined;
    if (isForProgram || app === 'only' || isOwn(tool, SEARCH_TOOL_NAME)) return result;
    const media = mediaLength(result);
    const keepsMedia = media <= maxMediaCharacters;
    const counted = app === 'also' ? modelsPartOf(result) : result;
    if (keepsMedia && isWithin(counted, maxTokens)) return result;
    const length = media + textLength(result);
    const id = this.#kept.keep(result, caller);
    const notice = noticeBlocks({ length, id, keepMs, uri: `${SCHEME}${id}` });
    const preview = previewOf(counted, { maxTokens: maxTokens - NOTICE_TOKENS, keepsMedia });
    const cut = { ...outcomeOf(result), ...preview.fields, content: [...preview.content, ...notice] };
    const { structuredContent, _meta } = result;
    if (app === 'also') {
      return { ...cut, ...(structuredContent !== undefined && { structuredContent }), ...(_meta && { _meta }) };
    }
    const hasForm = structuredContent !== undefined && tool.outputSchema !== undefined && result.isError !== true;
    return hasForm ? { ...cut, structuredContent: { [READ_RESULT_TOOL_NAME]: { id } } } : cut;
  }

  async #answer({ args, caller, signal }: InterceptedCall): Promise<ToolCallResult> {
    const request = readRequest(args);
    const result = this.#kept.find(request.id, caller);
    if (result === undefined) return mistake(missing(request.id));
    try {
      return await readResult(result, request, { maxTokens: this.#policy.maxTokens - NOTICE_TOKENS, signal });
    } catch (error) {
      if (isRegistryError(error) && error.code === 'invalid-pattern') return toErrorPayload(error);
      throw error;
    }
  }

  #read({ uri, caller }: InterceptedRead): Promise<Readonly<Record<string, unknown>>> | undefined {
    const [, id = '', part] = RESULT_URI.exec(uri) ?? [];
    const result = this.#kept.find(id, caller);
    if (result === undefined) return undefined;
    if (part === undefined) return Promise.resolve({ contents: contentsOf(result, uri) });
    const contents = contentsOf(result, uri.slice(0, -part.length - 1)).filter((each) => each.uri === uri);
    return contents.length === 0 ? undefined : Promise.resolve({ contents });
  }
}

const SCHEME = 'mcp-result://';
/** Also behind the prefix of a gateway. */
const RESULT_URI = /mcp-result:\/\/([0-9a-z]{20})(?:\/(\d+|structured|fields))?$/;

/** The search limits its results by itself. */
function isOwn({ server, name }: ToolView, own: string): boolean {
  return server === undefined && name === own;
}

function missing(id: string): string {
  return (
    `There is no result ${quote(id)} here: results are dropped after a time and to make room for later ones. ` +
    'Call the tool again, and ask it for less. A preview of another gateway is read with its own tool.'
  );
}

/** `only`: an MCP App alone gets the result. `also`: a model gets it, too. */
function appOf(tool: ToolView): 'only' | 'also' | undefined {
  if (isOnlyForApps(tool)) return 'only';
  return appLinkOf(tool) === undefined ? undefined : 'also';
}

/** Hosts show these two to the app. */
function modelsPartOf({ structuredContent: _structured, _meta, ...result }: ToolCallResult): ToolCallResult {
  return result;
}

function outcomeOf({ isError, resultType }: ToolCallResult): Pick<ToolCallResult, 'isError'> {
  return {
    ...(isError !== undefined && { isError }),
    ...(resultType === 'complete' && { resultType }),
  };
}

function mediaLength({ content }: ToolCallResult): number {
  let length = 0;
  for (const block of content) {
    const payload = payloadOf(block);
    if (payload?.kind === 'media') length += payload.value.length;
  }
  return length;
}

function textLength(result: ToolCallResult): number {
  const { content, structuredContent } = result;
  const fields = JSON.stringify(fieldsOfResult(result)).length;
  let length = fields > 2 ? fields : 0;
  if (structuredContent !== undefined) length += JSON.stringify(structuredContent).length;
  for (const block of content) length += textIn(block).length;
  return length;
}

function textIn(block: ContentBlock): string {
  const payload = payloadOf(block);
  if (payload === undefined) return JSON.stringify(block);
  return payload.kind === 'media' ? '' : payload.value;
}

/** Content and structured content each, because a model gets one of them. */
function isWithin(result: ToolCallResult, maxTokens: number): boolean {
  const { content, structuredContent } = result;
  let left = maxTokens - resultFieldTokens(result, maxTokens);
  const json = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  if (left < 0 || !fits(json, left)) return false;
  const [only, ...others] = content;
  if (only === undefined) return true;
  left -= others.length * TOKENS_PER_BLOCK;
  for (const block of content) {
    left -= fieldTokens(block, maxTokens);
    if (left < 0) return false;
  }
  return fits(others.length === 0 ? textIn(only) : content.map(textIn).join('\n'), left);
}

/** Two tokens a character are the most. */
function fits(text: string, maxTokens: number): boolean {
  return text.length * 2 <= maxTokens || lengthWithin(text, 0, maxTokens) === text.length;
}
