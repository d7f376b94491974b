/**
 * Changes that no test can notice, as the program does the same with them. They do not count. An entry that no longer
 * matches a surviving change fails the check.
 *
 * - `file` and `line`: the source and the text of its line, without the blanks around it.
 * - `change`: what the mutated piece is replaced with.
 * - `reason`: why the program does the same.
 */
export const equivalent = [
  {
    file: 'packages/internal/src/names/public-name.ts',
    line: "return text.slice(0, 2 * MAX_NAME_LENGTH).replace(/[^A-Za-z0-9_-]/gu, '_');",
    change: 'text',
    reason: 'The slice saves work alone: what is read of the text is cut to far less than that afterwards.',
  },
  {
    file: 'packages/mcp-client-manager/src/routing/circuit-breaker.ts',
    line: "const failures = state.phase === 'closed' ? state.failures + 1 : maxFailures;",
    change: 'true',
    reason:
      'A state without a count gives NaN, which is not below the limit either: the breaker opens as it does with the limit.',
  },
  {
    file: 'packages/internal/src/secrets/form-index.ts',
    line: 'if (this.#byStart.size === 0) return [];',
    change: 'false',
    reason: 'It saves the readings of a text when there is no secret to find in them.',
  },
  {
    file: 'packages/internal/src/secrets/form-index.ts',
    line: 'if (!this.#firstCharacters.has(text.charCodeAt(at))) continue;',
    change: 'false',
    reason: 'It saves a lookup of four characters: what begins with no first character begins no form.',
  },
  {
    file: 'packages/internal/src/secrets/form-index.ts',
    line: 'for (let at = 0; at < text.length; at++) {',
    change: 'at <= text.length',
    reason: 'No form begins behind the last character.',
  },
  {
    file: 'packages/internal/src/secrets/readings.ts',
    line: String.raw`if (text.includes('\u001b') || text.includes('\u009b')) yield rewritten(raw, invisibleOrBlank, blankOrNothing);`,
    change: 'true',
    reason: 'Without such a character the reading is the cleaned one, and finds the same ranges.',
  },
  {
    file: 'packages/internal/src/secrets/readings.ts',
    line: String.raw`if (text.includes('\u001b') || text.includes('\u009b')) yield rewritten(raw, invisibleOrBlank, blankOrNothing);`,
    change: '""',
    reason: 'Without such a character the reading is the cleaned one, and finds the same ranges.',
  },
  {
    file: 'packages/internal/src/secrets/readings.ts',
    line: 'if (clean !== raw) yield clean;',
    change: 'true',
    reason: 'The same reading a second time finds the same ranges, which are joined.',
  },
  {
    file: 'packages/internal/src/secrets/redactor.ts',
    line: 'if (this.#starred?.text !== text) {',
    change: 'true',
    reason: 'The last text is kept so that it is not starred again with the same outcome.',
  },
  {
    file: 'packages/mcp-registry/src/roles/compile-role.ts',
    line: 'if (only !== undefined && judged.length === 1) return only;',
    change: 'false',
    reason: 'It saves work for a role with one rule: the verdict of one is the same in the general way.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: 'this.#starred = patterns.filter(hasStar).map((pattern) => new StarPattern(pattern));',
    change: 'patterns',
    reason: 'What has no star is found among the exact ones before.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: 'if (this.#all.length === 0) return undefined;',
    change: 'false',
    reason: 'It saves work: without a pattern nothing is found.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: 'if (earlier?.tools === tools) return earlier.pattern;',
    change: 'false',
    reason: 'What was found is kept so that it is not looked for again with the same outcome.',
  },
  {
    file: 'packages/mcp-registry/src/pins/operators/similar-pins.ts',
    line: 'if (before !== undefined) return before;',
    change: 'false',
    reason: 'The words of a frozen definition are always the same: to find them again saves work alone.',
  },
  {
    file: 'packages/mcp-registry/src/pins/operators/similar-pins.ts',
    line: 'known.set(tool, words);',
    change: ';',
    reason: 'The words of a frozen definition are always the same: to keep them saves work alone.',
  },
  {
    file: 'packages/mcp-registry/src/pins/operators/tool-diff.ts',
    line: "const patch = structuredPatch('', '', before, after, undefined, undefined, options);",
    change: '"Stryker was here!"',
    reason: 'These are the names of two files, which only the header of a patch has; the lines alone are read.',
  },
  {
    file: 'packages/internal/src/secrets/readings.ts',
    line: 'if (next !== raw) yield next;',
    change: 'true',
    reason: 'The same reading a second time finds the same ranges, which are joined.',
  },
  {
    file: 'packages/internal/src/secrets/readings.ts',
    line: 'return byte > 255 || hex.length > found.length ? found : hex;',
    change: 'byte >= 255',
    reason: 'UTF-8 has no byte 255.',
  },
  {
    file: 'packages/internal/src/secrets/redactor.ts',
    line: 'return Array.isArray(value) && value.length > 0 && value.every((item) => Number.isInteger(item));',
    change: 'true',
    reason: 'An empty list holds no value, so it stays as it is either way.',
  },
  {
    file: 'packages/internal/src/secrets/redactor.ts',
    line: 'return Array.isArray(value) && value.length > 0 && value.every((item) => Number.isInteger(item));',
    change: 'value.length >= 0',
    reason: 'An empty list holds no value, so it stays as it is either way.',
  },
  {
    file: 'packages/mcp-registry/src/roles/compiled-rules.ts',
    line: 'if (!names.some((name) => beginsWith(pattern, name))) return false;',
    change: 'false',
    reason: 'It saves work: a server that none of the names is part of fits in no reading.',
  },
  {
    file: 'packages/mcp-registry/src/roles/compiled-rules.ts',
    line: 'return first !== undefined && second !== undefined && changed.has(first);',
    change: 'true',
    reason: 'No name that changed is undefined.',
  },
  {
    file: 'packages/mcp-registry/src/roles/compiled-rules.ts',
    line: "allowedResources.some((pattern) => isOther(pattern, 'uri'));",
    change: '""',
    reason: 'Readings of every kind but `name` are those of a URI.',
  },
  {
    file: 'packages/mcp-registry/src/roles/compile-role.ts',
    line: 'return pattern === undefined && inherited !== undefined ? inherited : { isAllowed: true, rule, pattern };',
    change: 'true',
    reason: 'Without both, the role has been refused three lines above.',
  },
  {
    file: 'packages/mcp-registry/src/roles/resource-pattern.ts',
    line: "if (!isWritten || !isReadAs(pattern, server, isServer, 'uri')) return false;",
    change: '""',
    reason: 'Readings of every kind but `name` are those of a URI.',
  },
  {
    file: 'packages/mcp-registry/src/roles/resource-pattern.ts',
    line: '} catch {',
    change: '{}',
    reason: 'A function that ends without a value returns undefined.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: 'return star >= 0 && starts.some((start) => start.startsWith(pattern.slice(0, star)));',
    change: 'starts.every(start => start.startsWith(pattern.slice(0, star)))',
    reason:
      'What begins one of them is a part of the server’s name and begins both, or the whole of one, which the line above finds.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: 'this.#parts.set(server, { tools, pattern });',
    change: '{}',
    reason: 'It saves looking again while the tools are the same.',
  },
  {
    file: 'packages/mcp-registry/src/roles/compiled-rules.ts',
    line: 'if (role === undefined || !this.has(role)) return NO_RIGHTS;',
    change: 'false',
    reason: 'No rule is of a role without a name.',
  },
  {
    file: 'packages/mcp-registry/src/roles/compiled-rules.ts',
    line: 'if (concerned.size === 0) return false;',
    change: 'false',
    reason: 'It saves work: without a rule that is concerned no role is.',
  },
  {
    file: 'packages/mcp-registry/src/roles/rule-diagnostics.ts',
    line: 'const ofThem = tools.filter((tool) => tool.server !== undefined && judged.includes(tool.server));',
    change: 'true',
    reason: 'No server that is asked about is undefined.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: "const [start = '', ...pieces] = pattern.split('*');",
    change: '"Stryker was here!"',
    reason: 'A text that is split has a first piece.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: 'this.#rests.set(length, rest);',
    change: ';',
    reason: 'The rest is kept so that it is not taken apart again.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: 'return start.startsWith(SOURCE_PREFIX) || (star >= 0 && SOURCE_PREFIX.startsWith(start));',
    change: 'true',
    reason: 'A text more is compared, which no pattern of the list can match.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: 'return start.startsWith(SOURCE_PREFIX) || (star >= 0 && SOURCE_PREFIX.startsWith(start));',
    change: 'star >= 0 || SOURCE_PREFIX.startsWith(start)',
    reason: 'A text more is compared, which no pattern of the list can match.',
  },
  {
    file: 'packages/mcp-registry/src/roles/tool-pattern.ts',
    line: "return pattern.includes('*');",
    change: '""',
    reason: 'What has no star is found among the exact ones before.',
  },
];
