import { isRecord } from '@x/internal/json';

type Rewrite = (uri: string) => string;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Rewrites the URIs of resource links and embedded resources. Texts, structured content and `_meta` stay unchanged,
 * since only the server and the model know their meaning.
 */
export function rewriteContent<Result extends Fields>(result: Result, rewrite: Rewrite): Result {
  return Array.isArray(result.content)
    ? { ...result, content: result.content.map((block) => rewriteBlock(block, rewrite)) }
    : result;
}

/** For `prompts/get`. */
export function rewriteMessages<Result extends Fields>(result: Result, rewrite: Rewrite): Result {
  if (!Array.isArray(result.messages)) return result;
  return {
    ...result,
    messages: result.messages.map((message: unknown) => {
      if (!isRecord(message)) return message;
      const { content } = message;
      const rewritten = Array.isArray(content)
        ? content.map((block) => rewriteBlock(block, rewrite))
        : rewriteBlock(content, rewrite);
      return { ...message, content: rewritten };
    }),
  };
}

/** For `resources/read`. */
export function rewriteContents<Result extends Fields>(result: Result, rewrite: Rewrite): Result {
  return Array.isArray(result.contents)
    ? { ...result, contents: result.contents.map((part: unknown) => rewriteUri(part, rewrite)) }
    : result;
}

function rewriteBlock(block: unknown, rewrite: Rewrite): unknown {
  if (!isRecord(block)) return block;
  if (block.type === 'resource_link') return rewriteUri(block, rewrite);
  return block.type === 'resource' ? { ...block, resource: rewriteUri(block.resource, rewrite) } : block;
}

function rewriteUri(value: unknown, rewrite: Rewrite): unknown {
  return isRecord(value) && typeof value.uri === 'string' ? { ...value, uri: rewrite(value.uri) } : value;
}
