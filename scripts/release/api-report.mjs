// What each entry of a package exports, with its types, as text that only changes when the public surface does.
import { join, sep } from 'node:path';
import ts from 'typescript';

const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
};
const printer = ts.createPrinter({ removeComments: true });

/** The entries of a package that have types: `{ subpath, file }`, where `file` is the built declaration. */
export function typedEntries(folder, manifest) {
  return Object.entries(manifest.exports).flatMap(([subpath, target]) =>
    typeof target === 'object' && target.types !== undefined ? [{ subpath, file: join(folder, target.types) }] : [],
  );
}

/** A program over the built declarations, which reads what they have in common once. */
export function readDeclarations(files, folder) {
  return ts.createProgram(files, { ...options, typeRoots: [join(folder, 'node_modules', '@types')] });
}

/** The reports of each package, one an entry: `{ name, text }`, where `name` is what is imported. */
export function apiReports(program, packages) {
  const checker = program.getTypeChecker();
  const surfaces = new Map(packages.map((described) => [described, surfacesOf(program, described)]));
  const homes = new Map();
  for (const { name, exported } of [...surfaces.values()].flat()) {
    for (const { symbol } of exported) if (!homes.has(symbol)) homes.set(symbol, name);
  }
  const reports = [...surfaces].map(([described, ofPackage]) => {
    const reader = { checker, homes, dist: join(described.folder, 'dist') + sep };
    return [described, ofPackage.map((surface) => ({ name: surface.name, text: reportOf(reader, surface) }))];
  });
  return new Map(reports);
}

function surfacesOf(program, { name, entries }) {
  const checker = program.getTypeChecker();
  return entries.map(({ subpath, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is not there, or exports nothing: build first`);
    const exported = checker
      .getExportsOfModule(module)
      .map((symbol) => ({ as: symbol.name, symbol: target(checker, symbol) }));
    return { name: name + subpath.slice(1), exported: exported.sort((a, b) => byName(a.as, b.as)) };
  });
}

function reportOf(program, { name, exported }) {
  const seen = new Set(exported.map(({ symbol }) => symbol));
  const reader = { ...program, name, seen, imports: new Set() };
  const exports = exported.map(({ as, symbol }) => describe(reader, as, symbol));
  const needed = exported.flatMap(({ symbol }) => neededBy(reader, symbol));
  const others = needed.sort((a, b) => byName(a.name, b.name)).map((symbol) => describe(reader, symbol.name, symbol));
  const parts = [
    `# ${name}`,
    'Made from the built declarations by `run check:packages --write`; not edited by hand.',
    fence([[...reader.imports].sort(byName).join('\n'), ...exports]),
    ...(others.length > 0 ? ['## Named by the above, and exported nowhere', fence(others)] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The declarations of a symbol as they are written, without comments. */
function describe(reader, as, symbol) {
  const local = statementsOf(reader, symbol);
  if (local.length === 0) return `export { ${as} } from '${moduleOf(reader, symbol)}';`;
  const texts = local.map((statement) =>
    printer
      .printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile())
      .replace(/^(export |declare )+/, ''),
  );
  return as === symbol.name ? texts.join('\n') : `${texts.join('\n')}\nexport { ${symbol.name} as ${as} };`;
}

/** What a symbol's declarations name that no entry of the package exports, and what that names, each once. */
function neededBy(reader, symbol) {
  const names = statementsOf(reader, symbol).flatMap(namesIn);
  return names.flatMap((identifier) => {
    const named = reader.checker.getSymbolAtLocation(identifier);
    const found = named && target(reader.checker, named);
    if (found === undefined || reader.seen.has(found)) return [];
    reader.seen.add(found);
    const home = reader.homes.get(found) ?? importedFrom(reader, named);
    if (home !== undefined) reader.imports.add(`import { ${named.name} } from '${home}';`);
    else if (statementsOf(reader, found).length > 0) return [found, ...neededBy(reader, found)];
    return [];
  });
}

function namesIn(node) {
  const names = [];
  const visit = (child) => {
    if (ts.isIdentifier(child)) names.push(child);
    ts.forEachChild(child, visit);
  };
  visit(node);
  return names;
}

/** The top-level statements of this package that declare a symbol. */
function statementsOf({ dist }, symbol) {
  const statements = (symbol.declarations ?? [])
    .filter((declaration) => join(declaration.getSourceFile().fileName).startsWith(dist))
    .map((declaration) => (ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration))
    .filter((declaration) => ts.isSourceFile(declaration.parent));
  return [...new Set(statements)];
}

function target(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The other package, or built-in module, that this package imports a name from. */
function importedFrom({ dist }, symbol) {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined || !join(declaration.getSourceFile().fileName).startsWith(dist)) return undefined;
  const clause = ts.findAncestor(declaration, ts.isImportDeclaration);
  const module = clause?.moduleSpecifier.text;
  return module?.startsWith('.') ? undefined : module;
}

/** The entry of another package here, or the package, that declares what an entry only hands on. */
function moduleOf({ homes, name }, symbol) {
  const home = homes.get(symbol);
  if (home !== undefined && home !== name) return home;
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '?';
  const [, packageName] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  if (packageName === undefined) throw new Error(`${name} hands on ${symbol.name} of ${file}, which no entry exports`);
  return packageName;
}

function fence(parts) {
  return ['```ts', parts.filter((part) => part !== '').join('\n\n'), '```'].join('\n');
}

function byName(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
