import { type TextPositions, textLimits, unknownAlias, yamlFault } from '@x/internal/syntax';
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
} from 'yaml';
import type { ConfigPath } from '../issues.js';
import { EntryCollector, type ReportFault, type SourceMap, type SourceNode, tooDeep } from './source-tree.js';

export function readYaml(text: string, positions: TextPositions, report: ReportFault): SourceNode | undefined {
  const tokens = tokenize(text, report);
  if (tokens === undefined) return undefined;

  // `EntryCollector` finds repeated keys: the library compares all pairs.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (document === undefined) return undefined;
  if (second !== undefined) {
    const hint = 'put each document into a separate file';
    report({ code: 'syntax', severity: 'error', message: 'A second YAML document starts here', hint }, second.range[0]);
  }
  const secondVersion = versionsOf(tokens)[1];
  if (secondVersion !== undefined) {
    report(twoVersions, secondVersion.offset);
    return undefined;
  }
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2') {
    report(otherVersion, Math.max(0, text.indexOf('%YAML')));
    return undefined;
  }
  if (reportErrors(document, text, report) || second !== undefined || document.contents === null) return undefined;
  return new YamlTree(positions, report).convert(document.contents, []);
}

/**
 * Tokens of a text. The library's own loop limits neither depth nor size, and needs gigabytes for a few megabytes of
 * brackets.
 */
function tokenize(text: string, report: ReportFault): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let parts = 0;
  let broken = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') broken += 1;
    }
    if (broken > 20) return tokens;
    // The parser's stack also contains the document and the current scalar.
    if (parser.stack.length > textLimits.depth + 10) {
      report(tooDeep, parser.offset);
      return undefined;
    }
    if (++parts > textLimits.yamlParts) {
      const message = `The text has more than ${textLimits.yamlParts} parts`;
      report(
        { code: 'too-large', severity: 'error', message, limit: textLimits.yamlParts, unit: 'parts' },
        parser.offset,
      );
      return undefined;
    }
  }
  tokens.push(...parser.end());
  return tokens;
}

/** `%YAML` lines before the first document. The library silently uses the last one. */
function versionsOf(tokens: readonly CST.Token[]): readonly CST.Token[] {
  const first = tokens.findIndex(({ type }) => type === 'document');
  return tokens
    .slice(0, first === -1 ? undefined : first)
    .filter((token) => token.type === 'directive' && token.source.startsWith('%YAML'));
}

function reportErrors(document: Document.Parsed, text: string, report: ReportFault): boolean {
  // An unknown tag changes the type of a value, so it is an error although the library continues.
  const unknownTags = document.warnings.filter((warning) => warning.code === 'TAG_RESOLVE_FAILED');
  for (const error of [...document.errors, ...unknownTags]) {
    const [offset] = error.pos;
    const { message, hint = hintAboutBraces(text, offset) } = yamlFault(error);
    report({ code: 'syntax', severity: 'error', message, hint }, offset);
  }
  return document.errors.length + unknownTags.length > 0;
}

/** Hint for a template at the start of a value, which YAML reads as a map. */
function hintAboutBraces(text: string, offset: number): string | undefined {
  const before = text.slice(Math.max(0, offset - 1_000), offset);
  const after = text.slice(offset, offset + 1_000);
  const line = before.slice(before.lastIndexOf('\n') + 1) + after.split('\n', 1)[0];
  return /(?:^|[:,[]|-)\s{0,20}\{\{/.test(line)
    ? 'put the whole value in quotes: in YAML "{" begins a mapping'
    : undefined;
}

class YamlTree {
  readonly #positions: TextPositions;
  readonly #report: ReportFault;
  /** Latest value of each anchor; `open` while it is being read. */
  readonly #anchors = new Map<string, SourceNode | 'open'>();
  #aliasedValues = 0;

  constructor(positions: TextPositions, report: ReportFault) {
    this.#positions = positions;
    this.#report = report;
  }

  convert(node: unknown, path: ConfigPath, start = 0): SourceNode {
    if (isAlias(node)) return this.#resolve(node.source, node.range?.[0] ?? start, path);
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return emptyAt(start);

    const anchor = node.anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const converted = this.#convertOwn(node, path, node.range?.[0] ?? start);
    if (anchor !== undefined) this.#anchors.set(anchor, converted);
    return converted;
  }

  #convertOwn(node: unknown, path: ConfigPath, start: number): SourceNode {
    if (isScalar(node)) return { kind: 'scalar', start, end: node.range?.[1] ?? start, value: node.value };
    if (path.length >= textLimits.depth) {
      this.#report(tooDeep, start, path);
      return emptyAt(start);
    }
    if (isMap(node)) return this.#convertPairs(node.items, path, start);
    const items = isSeq(node) ? node.items : [];
    return {
      kind: 'list',
      start,
      items: items.map((item, index) => {
        const itemPath = [...path, index];
        // `!!pairs` and `!!omap` have pairs as list items.
        return isPair(item) ? this.#convertPairs([item], itemPath, start) : this.convert(item, itemPath, start);
      }),
    };
  }

  #convertPairs(pairs: readonly Pair[], path: ConfigPath, start: number): SourceMap {
    const collector = new EntryCollector(path, this.#report, this.#positions.at);
    const merged: SourceNode[] = [];
    for (const { key, value } of pairs) {
      const keyStart = isScalar(key) || isMap(key) || isSeq(key) || isAlias(key) ? (key.range?.[0] ?? start) : start;
      if (!isScalar(key)) {
        // For example a plain template: `{{root}}` is a map whose key is a map.
        const hint = isMap(key) ? 'put a value that begins with "{{" in quotes' : undefined;
        this.#report({ code: 'syntax', severity: 'error', message: 'A key must be plain text', hint }, keyStart, path);
      } else if (key.source === '<<' && key.type === 'PLAIN') {
        merged.push(this.convert(value, path, keyStart));
      } else {
        // Keys keep their source text: `123:` and `true:` are the names "123" and "true".
        const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
        if (key.anchor !== undefined) {
          const end = key.range?.[1] ?? keyStart;
          this.#anchors.set(key.anchor, { kind: 'scalar', start: keyStart, end, value: key.value });
        }
        collector.add(name, keyStart, () => this.convert(value, [...path, name], keyStart));
      }
    }
    for (const node of merged.flatMap((item) => (item.kind === 'list' ? item.items : [item]))) {
      if (node.kind === 'map') for (const [name, entry] of node.entries) collector.addInherited(name, entry);
      else this.#report(mergeNeedsMapping, node.start, path);
    }
    return { kind: 'map', start, entries: collector.entries };
  }

  #resolve(name: string, start: number, path: ConfigPath): SourceNode {
    const target = this.#anchors.get(name);
    if (target === undefined || target === 'open') {
      const fault = target === 'open' ? { message: 'This alias is inside the value that it refers to' } : unknownAlias;
      this.#report({ code: 'syntax', severity: 'error', ...fault }, start, path);
      return emptyAt(start);
    }
    const wasWithinLimit = this.#aliasedValues <= textLimits.aliasedValues;
    const counted = this.#count(target, path.length);
    if (counted === 'ok') return target;
    if (counted === 'too-deep') this.#report(tooDeep, start, path);
    else if (wasWithinLimit) this.#report(tooManyAliased, start, path); // later ones fail for the same reason
    return emptyAt(start);
  }

  /** Counts the values of aliases, because a few lines can expand to billions. */
  #count(node: SourceNode, depth: number): 'ok' | 'too-deep' | 'too-many' {
    if (++this.#aliasedValues > textLimits.aliasedValues) return 'too-many';
    if (node.kind === 'scalar') return 'ok';
    if (depth >= textLimits.depth) return 'too-deep';
    const children = node.kind === 'list' ? node.items : Array.from(node.entries.values(), (entry) => entry.node);
    for (const child of children) {
      const counted = this.#count(child, depth + 1);
      if (counted !== 'ok') return counted;
    }
    return 'ok';
  }
}

function emptyAt(start: number): SourceNode {
  return { kind: 'scalar', start, end: start, value: null };
}

// In YAML 1.1, `y` and `no` are booleans and `1:30` is a number, unlike in other readers of these files.
const otherVersion = {
  code: 'syntax',
  severity: 'error',
  message: 'The text declares a YAML version other than 1.2',
  hint: 'remove the "%YAML" line',
} as const;

const twoVersions = {
  code: 'syntax',
  severity: 'error',
  message: 'The YAML version is declared more than once',
  hint: 'keep one line with "%YAML 1.2", or none',
} as const;

const mergeNeedsMapping = {
  code: 'syntax',
  severity: 'error',
  message: '"<<" needs a mapping, or a list of mappings',
} as const;

const tooManyAliased = {
  code: 'too-large',
  severity: 'error',
  message: `The aliases of this text expand to more than ${textLimits.aliasedValues} values`,
  limit: textLimits.aliasedValues,
  unit: 'parts',
} as const;
