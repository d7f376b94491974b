/**
 * A large catalogue made of a small one: the tools in their order, again and again. From the second time on the server
 * has a number and the tool a further word in its name, which is a word of another tool's name. Always the same.
 */
export function catalogOf(tools, size) {
  const words = tools.map(({ name }) => name.match(/[A-Za-z]{4,}/g)?.at(-1) ?? 'thing');
  return Array.from({ length: size }, (_, at) => {
    const tool = tools[at % tools.length];
    const round = Math.floor(at / tools.length);
    if (round === 0) return tool;
    const word = words[(at * 7919 + round * 31) % words.length];
    return { ...tool, server: `${tool.server}-${round}`, name: `${tool.name}_${word}` };
  });
}
