// #region ranker
import type { Ranker, SearchDocument } from '@x/mcp-registry/search';

/** Turns texts into vectors of one length: a call of a model that you run or pay for. */
export type Embed = (texts: readonly string[], options: { signal?: AbortSignal }) => Promise<readonly number[][]>;

interface Tool {
  readonly text: string;
  /** Left out after its text could not be embedded. */
  vector?: Promise<Float32Array> | undefined;
}

export function createEmbeddingRanker(embed: Embed): Ranker {
  const tools = new Map<string, Tool>();

  function learn(batch: readonly Tool[]): Promise<unknown> {
    const texts = batch.map(({ text }) => text);
    const vectors = embed(texts, {});
    for (const [index, tool] of batch.entries()) {
      tool.vector = vectors.then((all) => toUnit(all[index] ?? []));
      tool.vector.catch(() => {
        tool.vector = undefined;
      });
    }
    return vectors;
  }

  return {
    name: 'embeddings',
    timeoutMs: 300,
    async add(documents) {
      const batch = documents.map((document): Tool => ({ text: toText(document) }));
      for (const [index, tool] of batch.entries()) tools.set(documents[index]?.name ?? '', tool);
      await learn(batch);
    },
    remove(names) {
      for (const name of names) tools.delete(name);
    },
    async rank(query, { limit, accepts, signal }) {
      const missing = Array.from(tools.values()).filter(({ vector }) => vector === undefined);
      if (missing.length > 0) await learn(missing);
      const wanted = toUnit((await embed([query], { signal }))[0] ?? []);
      const scored: { name: string; likeness: number }[] = [];
      for (const [name, { vector }] of tools) {
        if (vector && accepts(name)) scored.push({ name, likeness: likenessOf(wanted, await vector) });
      }
      scored.sort((left, right) => right.likeness - left.likeness);
      // Some tool is always the nearest one. What is not near must not be an answer.
      const near = scored.filter(({ likeness }) => likeness > 0.35);
      return near.slice(0, limit).map(({ name }) => name);
    },
  };
}

function toText({ server, tool, title, description }: SearchDocument): string {
  return [server, tool, title, description].filter((text) => text !== '').join('\n');
}

/** The same direction with length 1, so that a product of two is their cosine. */
function toUnit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return Float32Array.from(vector, (value) => value / length);
}

function likenessOf(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}
// #endregion ranker
