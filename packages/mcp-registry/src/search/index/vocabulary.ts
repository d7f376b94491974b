import { familyOf } from '../words/word-family.js';
import { withCapacity } from './block-space.js';

const HEAD = 3;
const TAIL = 2;

/** Ids of all words of the tools. Finds similar words. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly #words: (string | undefined)[] = [];
  /** Excludes most words quickly. At most 255. */
  #lengths = new Uint8Array(0);
  readonly #free: number[] = [];
  /** By first letters. Words one edit apart share the first or the last letters. */
  readonly #heads = new Buckets();
  readonly #tails = new Buckets();
  readonly #families = new Buckets();

  get size(): number {
    return this.#ids.size;
  }

  idOf(word: string): number | undefined {
    return this.#ids.get(word);
  }

  wordOf(id: number): string {
    return this.#words[id] ?? '';
  }

  add(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const word = ownCopy(text);
    const id = this.#free.pop() ?? this.#words.length;
    this.#words[id] = word;
    this.#lengths = withCapacity(this.#lengths, id + 1);
    this.#lengths[id] = Math.min(255, word.length);
    this.#ids.set(word, id);
    if (word.length > HEAD) {
      this.#heads.add(word.slice(0, HEAD), id);
      this.#tails.add(tailOf(word, word.length), id);
    }
    if (word.length > 3) this.#families.add(familyOf(word), id);
    return id;
  }

  remove(id: number): void {
    const word = this.wordOf(id);
    this.#ids.delete(word);
    this.#words[id] = undefined;
    this.#free.push(id);
    if (word.length > HEAD) {
      this.#heads.remove(word.slice(0, HEAD), id);
      this.#tails.remove(tailOf(word, word.length), id);
    }
    if (word.length > 3) this.#families.remove(familyOf(word), id);
  }

  /** Longer words with this beginning of three letters or more. */
  startingWith(word: string): readonly number[] {
    const found: number[] = [];
    for (const id of this.#heads.of(word.slice(0, HEAD))) {
      if ((this.#lengths[id] ?? 0) > word.length && this.wordOf(id).startsWith(word)) found.push(id);
    }
    return found;
  }

  /** Words one typo apart. May miss a swap in the middle of a word of five letters. */
  oneEditFrom(word: string): readonly number[] {
    const found: number[] = [];
    const { length } = word;
    for (const id of this.#heads.of(word.slice(0, HEAD))) {
      const difference = (this.#lengths[id] ?? 0) - length;
      if (difference >= -1 && difference <= 1 && isOneEditApart(word, this.wordOf(id))) found.push(id);
    }
    for (let each = length - 1; each <= length + 1; each++) {
      for (const id of this.#tails.of(tailOf(word, each))) {
        if (isOneEditApart(word, this.wordOf(id))) found.push(id);
      }
    }
    return found;
  }

  relativesOf(word: string): number[] {
    return this.#families.of(familyOf(word)).filter((id) => this.wordOf(id) !== word);
  }
}

/** A slice keeps its whole text in memory. Engines slice strings from 13 characters on. */
function ownCopy(word: string): string {
  return word.length < 13 ? word : word.split('').join('');
}

function tailOf(word: string, length: number): string {
  return `${length}${word.slice(-TAIL)}`;
}

class Buckets {
  readonly #buckets = new Map<string, number | number[]>();

  of(key: string): readonly number[] {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? [] : typeof bucket === 'number' ? [bucket] : bucket;
  }

  add(key: string, id: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, id);
    else if (typeof bucket === 'number') this.#buckets.set(key, [bucket, id]);
    else bucket.push(id);
  }

  remove(key: string, id: number): void {
    const bucket = this.#buckets.get(key);
    if (typeof bucket !== 'object' || bucket.length < 2) {
      this.#buckets.delete(key);
      return;
    }
    const last = bucket.pop() ?? id;
    const at = bucket.indexOf(id);
    if (at >= 0) bucket[at] = last;
  }
}

/** True if one inserted, removed or changed letter, or one swap of neighbours, makes the words equal. */
export function isOneEditApart(left: string, right: string): boolean {
  const difference = right.length - left.length;
  if (difference > 1 || difference < -1 || left === right) return false;
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left.charCodeAt(start) === right.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && left.charCodeAt(left.length - 1 - end) === right.charCodeAt(right.length - 1 - end))
    end++;
  if (difference !== 0) return start + end >= shorter;
  const middle = left.length - start - end;
  if (middle <= 1) return true;
  return middle === 2 && left[start] === right[start + 1] && left[start + 1] === right[start];
}
