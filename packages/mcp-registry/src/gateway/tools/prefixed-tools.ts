import type { ToolCallResult } from '@x/internal/contracts';
import { peekTool } from '../../peek-tools.js';
import type { RegistryView } from '../../view.js';
import { toGatewayUri } from '../naming/resource-uris.js';
import { rewriteContent } from '../naming/rewrite-content.js';
import { DelegatingView } from './delegating-view.js';

/** The tools of a view, whose results refer to resources by the URIs that a gateway's clients know them by. */
export class PrefixedTools extends DelegatingView {
  override async call(...[name, ...request]: Parameters<RegistryView['call']>): Promise<ToolCallResult> {
    const server = peekTool(this.view, name)?.server;
    const result = await this.view.call(name, ...request);
    // The app's own tools refer to resources of nobody's.
    return server === undefined ? result : rewriteContent(result, (uri) => toGatewayUri({ server, uri }));
  }
}
