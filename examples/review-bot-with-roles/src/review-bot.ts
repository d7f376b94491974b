import { isRegistryError, type RegistryView, type SearchResult, type ToolArguments } from '@x/mcp-registry';

/** What a reviewer looks for. A real bot asks a language model here; what it may do with its tools stays the same. */
const rules = [
  { pattern: /\beval\(/, says: 'eval runs whatever it is given' },
  { pattern: /[^=!]==[^=]/, says: '== converts; use ===' },
] as const;

/** Reads every file of a folder and says what is wrong in which line. Knows nothing but the tools that it was given. */
export async function review(tools: RegistryView, folder: string): Promise<readonly string[]> {
  const listing = await textOf(tools, 'mcp__filesystem__list_directory', { path: folder });
  const files = Array.from(listing.matchAll(/^\[FILE\] (.+)$/gm), ([, file]) => String(file));
  const remarks: string[] = [];
  for (const file of files) {
    const text = await textOf(tools, 'mcp__filesystem__read_text_file', { path: `${folder}/${file}` });
    for (const [index, line] of text.split('\n').entries()) {
      for (const { pattern, says } of rules) if (pattern.test(line)) remarks.push(`${file}:${index + 1} ${says}`);
    }
  }
  return remarks;
}

async function textOf(tools: RegistryView, tool: string, args: ToolArguments): Promise<string> {
  const { content, isError } = await tools.call(tool, args);
  if (isError) throw new Error(`${tool} failed: ${JSON.stringify(content)}`);
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

export interface Pursuit {
  readonly refusal: string;
  readonly isListed: boolean;
  readonly description: unknown;
  readonly found: SearchResult;
}

/** Does all that a bot can do to get at a tool, and tells everything it has learned by that. */
export async function pursue(tools: RegistryView, tool: string, args: ToolArguments): Promise<Pursuit> {
  return {
    refusal: await tools.call(tool, args).then(() => 'It was called', refusalOf),
    isListed: tools.list().some(({ name }) => name === tool),
    description: await tools.describe(tool),
    found: await tools.search({ query: tool, detail: 'full' }),
  };
}

function refusalOf(error: unknown): string {
  if (!isRegistryError(error)) throw error;
  return `${error.code}: ${error.message}`;
}
