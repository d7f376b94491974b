export function NoServers() {
  return (
    <div class="empty">
      <p>The config names no servers yet.</p>
      <p class="note">
        <code>mcpx init --from all</code> writes a config with those of your editors, and <code>mcpx add</code> adds
        one. They appear here as soon as they are in it.
      </p>
    </div>
  );
}
