import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import { leftOut, type ResultPart, resultParts } from './result-parts.js';
import { type ShownTool, type ShownToolOptions, shownRows } from './shown-tools.js';

/** An entry of `tools` in the Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: {
    type: 'object';
    properties: Record<string, unknown>;
    required?: string[];
    [keyword: string]: unknown;
  };
}

/** A block `tool_use` of the Messages API. */
export interface AnthropicToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A result block. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: ({ type: 'text'; text: string } | { type: 'image'; source: AnthropicImage })[];
  is_error?: true;
}

/** An image in a result; `data` is base64. */
export interface AnthropicImage {
  type: 'base64';
  media_type: AnthropicMediaType;
  data: string;
}

/** Image types of the API. */
export type AnthropicMediaType = (typeof MEDIA_TYPES)[number];

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const RULES = { maxDescriptionLength: Number.POSITIVE_INFINITY, propertyName: /^[a-zA-Z0-9_.-]{1,64}$/ };

const toolOptions = optionTable<ShownToolOptions>()(shownRows);

/**
 * Tools for the Messages API of Anthropic.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 */
export function anthropic(
  view: RegistryView,
  options?: ShownToolOptions,
): ModelTools<AnthropicTool[], AnthropicToolUse, AnthropicToolResult> {
  const offered = offerTools(view, toolOptions.read(options), RULES);
  return {
    get tools() {
      return offered.list().map(toTool);
    },
    async run(call, callOptions) {
      const { id, name, input } = Object(call) as AnthropicToolUse;
      const result = await offered.call(name, input, callOptions);
      return {
        type: 'tool_result',
        tool_use_id: id,
        content: resultParts(result).map(toBlock),
        ...(result.isError === true ? { is_error: true } : {}),
      };
    },
  };
}

function toTool({ name, description, schema: { required, ...schema } }: ShownTool): AnthropicTool {
  return {
    name,
    description,
    input_schema: { ...schema, ...(required === undefined ? {} : { required: [...required] }) },
  };
}

function toBlock(part: ResultPart): AnthropicToolResult['content'][number] {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const { mediaType, data } = part;
  const media_type = MEDIA_TYPES.find((known) => known === mediaType);
  if (media_type === undefined) return { type: 'text', text: leftOut('image', mediaType, data) };
  return { type: 'image', source: { type: 'base64', media_type, data } };
}
