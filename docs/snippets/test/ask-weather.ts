// ask-weather.ts: the part of the app that is tested
import { type ClientManager, isManagerError } from '@x/mcp-client-manager';

export async function askWeather(manager: ClientManager, city: string): Promise<string> {
  const ask = () => manager.callTool('sky', 'weather', { city }, { timeoutMs: 60_000 });
  const { content } = await ask().catch((error: unknown) => {
    // The server died with the question in its hands. Asking twice does no harm.
    if (isManagerError(error) && error.code === 'outcome-unknown') return ask();
    throw error;
  });
  const [first] = content;
  return first?.type === 'text' ? String(first.text) : 'nobody knows';
}
