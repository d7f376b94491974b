import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { parse } from 'yaml';

export interface Statement {
  readonly number: number;
  readonly says: string;
  readonly otherwise?: string;
  readonly instead?: string;
  readonly shownBy?: { readonly file: string; readonly text: string };
}

export const statements: readonly Statement[] = (
  parse(readFileSync(new URL('statements.yaml', import.meta.url), 'utf8')) as { rows: Statement[] }[]
).flatMap(({ rows }) => rows);

/** The test of one statement, named after it. */
export function row(number: number, run: () => void | Promise<void>): void {
  const statement = statements.find((each) => each.number === number);
  if (statement === undefined) throw new Error(`statements.yaml has no row ${number}`);
  const { says, instead } = statement;
  test(`${number}. ${says}${instead === undefined ? '' : `; instead: ${instead}`}`, run);
}

/** A sample of the documents, as it is in them. */
export function sample(path: string): string {
  return readFileSync(new URL(`fixtures/${path}`, import.meta.url), 'utf8');
}
