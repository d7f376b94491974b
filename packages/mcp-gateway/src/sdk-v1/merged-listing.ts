import type { ToolView } from '@x/internal/views';
import { pageOf, type ToolPage } from '../serving/tool-pages.js';
import type { OwnTools } from './own-tools.js';
import type { V1Extra } from './v1-server.js';

export interface MergedPage {
  readonly own: readonly unknown[];
  readonly mounted: readonly ToolView[];
  readonly nextCursor?: string;
}

/** Returns one page: the server's own tools first, then the mounted ones. A cursor is `own.…` or `mounted.…`. */
export async function mergedPage(
  own: OwnTools,
  list: () => Promise<readonly ToolView[]>,
  {
    cursor,
    pageSize,
    extra,
  }: { readonly cursor: string | undefined; readonly pageSize: number; readonly extra: V1Extra },
): Promise<MergedPage> {
  if (own.handlers.list === undefined) return mounted(pageOf(await list(), pageSize, cursor), []);
  const [, whose, rest = ''] = /^(own|mounted)\.(.*)$/s.exec(cursor ?? 'own.') ?? [];
  if (whose !== 'own')
    return mounted(pageOf(await list(), pageSize, whose === undefined ? cursor : rest), [], 'mounted.');

  const page = await own.page(cursor === undefined ? undefined : rest, extra);
  if (page.nextCursor !== undefined) return { own: page.tools, mounted: [], nextCursor: `own.${page.nextCursor}` };
  return mounted(pageOf(await list(), pageSize, undefined), page.tools, 'mounted.');
}

function mounted({ tools, nextCursor }: ToolPage, own: readonly unknown[], prefix = ''): MergedPage {
  return { own, mounted: tools, ...(nextCursor === undefined ? {} : { nextCursor: `${prefix}${nextCursor}` }) };
}
