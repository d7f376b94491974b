import type { ToolCallResult } from '@x/mcp-registry';

/** The result of a call, with its content in the usual forms. `JSON.stringify` writes it as the server sent it, without keys of these names. */
export interface ToolResult extends ToolCallResult {
  /** All texts, also of embedded resources, joined by line ends. Without any: the structured content as JSON, or `''`. */
  text(): string;
  /**
   * The structured content, or else the text, parsed as JSON.
   *
   * @throws {SyntaxError} The result has neither. The message quotes its beginning.
   */
  json<Value = unknown>(): Value;
  /** All images, also of embedded resources. */
  images(): readonly ResultImage[];
}

/** One image. */
export interface ResultImage {
  /** Base64. */
  readonly data: string;
  /** Such as `image/png`. */
  readonly mimeType: string;
}

const maxQuotedLength = 60;

/** Methods on the prototype, so that copies and JSON contain only what the server sent. */
const methods = {
  text(this: ToolCallResult): string {
    const { content, structuredContent } = this;
    const texts = content.flatMap((block) => {
      if (block.type === 'text') return block.text;
      return block.type === 'resource' ? (block.resource.text ?? []) : [];
    });
    if (texts.length > 0) return texts.join('\n');
    return structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  },
  json(this: ToolResult): unknown {
    if (this.structuredContent !== undefined) return this.structuredContent;
    const text = this.text();
    try {
      return JSON.parse(text);
    } catch (cause) {
      const start = JSON.stringify(text.slice(0, maxQuotedLength));
      throw new SyntaxError(`The result is not JSON; it begins with ${start}. Use text() for it`, { cause });
    }
  },
  images(this: ToolCallResult): readonly ResultImage[] {
    return this.content.flatMap((block) => {
      if (block.type === 'image') return toImage(block.data, block.mimeType);
      return block.type === 'resource' ? toImage(block.resource.blob, block.resource.mimeType) : [];
    });
  },
};

/** Leaves out keys of a server that would replace a method. */
export function toToolResult(result: ToolCallResult): ToolResult {
  const own = Object.entries(result).filter(([key]) => !(key in methods));
  return Object.assign(Object.create(methods), Object.fromEntries(own));
}

/** A source of the app may give fields of other types. */
function toImage(data: unknown, mimeType: unknown): ResultImage | readonly [] {
  const isImage = typeof data === 'string' && typeof mimeType === 'string' && mimeType.startsWith('image/');
  return isImage ? { data, mimeType } : [];
}
