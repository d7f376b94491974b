import type { ToolCallResult } from '@x/internal/contracts';

/** The value of a result in a program: structured content, otherwise its text, otherwise its content. */
export function toolValue({ structuredContent, content }: ToolCallResult): unknown {
  return structuredContent === undefined ? (textOf(content) ?? content) : structuredContent;
}

/** The message of a result with `isError`. */
export function toolFault({ structuredContent, content }: ToolCallResult): string {
  return textOf(content) || JSON.stringify(structuredContent ?? content);
}

function textOf(content: ToolCallResult['content']): string | undefined {
  const texts = content.flatMap((block) => (block.type === 'text' && 'text' in block ? [String(block.text)] : []));
  return texts.length === content.length ? texts.join('\n') : undefined;
}
