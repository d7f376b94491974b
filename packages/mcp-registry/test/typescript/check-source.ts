import ts from 'typescript';

const FILE = '/tools.ts';
const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
};

/** The compiler's own libraries, parsed once. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** What the compiler finds wrong with one module, as `line: message`. */
export function checkSource(text: string): readonly string[] {
  const host = ts.createCompilerHost(options);
  const source = ts.createSourceFile(FILE, text, ts.ScriptTarget.ES2022, true);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    if (file === FILE) return source;
    if (!libraries.has(file)) libraries.set(file, getSourceFile(file, ...rest));
    return libraries.get(file);
  };
  const program = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(program, source).map(({ start = 0, messageText }) => {
    const { line } = source.getLineAndCharacterOfPosition(start);
    return `${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** The tags of all doc comments. */
export function tagsOf(text: string): readonly string[] {
  const tags: string[] = [];
  const visit = (node: ts.Node): void => {
    tags.push(...ts.getJSDocTags(node).map(({ tagName }) => tagName.text));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(FILE, text, ts.ScriptTarget.ES2022, true));
  return tags;
}

/** The members of `McpTools`, and all other statements of a module. */
export function outlineOf(text: string): { readonly tools: readonly string[]; readonly others: number } {
  const { statements } = ts.createSourceFile(FILE, text, ts.ScriptTarget.ES2022, true);
  const tools = statements.find(ts.isInterfaceDeclaration);
  const names = (tools?.members ?? []).flatMap(({ name }) => (name && 'text' in name ? [name.text] : ['?']));
  return { tools: names, others: statements.length - 1 };
}
