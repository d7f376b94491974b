import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import type { ModelTools } from './model-tools.js';
import { type OfferedTools, offerTools } from './offered-tools.js';
import {
  isText,
  type MediaOptions,
  mediaRows,
  PDF,
  type ResultPart,
  resultParts,
  TEXT_ONLY,
  textOf,
} from './result-parts.js';
import { type ShownToolOptions, shownRows } from './shown-tools.js';

/** Options of `google`. Models before Gemini 3 refuse media in results, so set `media: false` for them. */
export interface GoogleToolOptions extends ShownToolOptions, MediaOptions {}

/** An entry of `config.tools`. */
export interface GoogleTool {
  functionDeclarations: GoogleFunctionDeclaration[];
}

/** A tool as the Gemini API describes it. */
export interface GoogleFunctionDeclaration {
  name: string;
  description: string;
  parametersJsonSchema: Record<string, unknown>;
}

/** The content of a part `functionCall`, and an entry of `response.functionCalls`. */
export interface GoogleFunctionCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** A part for the next content with the role `user`. */
export interface GoogleResponsePart {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

const toolOptions = optionTable<GoogleToolOptions>()({ ...shownRows, ...mediaRows });
const RULES = {
  toolName: {
    pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    text: '1 to 64 characters of A-Z, a-z, 0-9, _ and -, with a letter or _ at its start',
  },
};
const ACCEPTED = ['image/jpeg', 'image/png', 'image/webp', PDF];

/**
 * Tools for the Gemini API. `tools` has one entry with all functions.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://ai.google.dev/gemini-api/docs/function-calling
 */
export function google(
  view: RegistryView,
  options?: GoogleToolOptions,
): ModelTools<GoogleTool[], GoogleFunctionCall, GoogleResponsePart> {
  const { media, ...shown } = toolOptions.read(options);
  const offered = offerTools(view, shown, RULES);
  return {
    get tools() {
      const functionDeclarations = declarationsOf(offered);
      return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }];
    },
    async run(call, callOptions) {
      const { id, name, args } = Object(call) as GoogleFunctionCall & { readonly name: string };
      const result = await offered.call(name, args, callOptions);
      const parts = resultParts(result, media ? ACCEPTED : TEXT_ONLY);
      const text = textOf(parts);
      return {
        functionResponse: {
          ...(id === undefined ? {} : { id }),
          name,
          response: result.isError === true ? { error: text } : { output: text },
          ...(isText(parts) ? {} : { parts: parts.flatMap(toInlinePart) }),
        },
      };
    },
  };
}

function declarationsOf(offered: OfferedTools): GoogleFunctionDeclaration[] {
  return offered.list().map(({ name, description, schema }) => ({
    name,
    description,
    parametersJsonSchema: { ...schema },
  }));
}

function toInlinePart(part: ResultPart): { inlineData: { mimeType: string; data: string } }[] {
  return part.kind === 'text' ? [] : [{ inlineData: { mimeType: part.mediaType, data: part.data } }];
}
