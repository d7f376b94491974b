import { render } from 'preact';
import { signIn } from './api.js';
import { App } from './app.js';

const page = document.querySelector('#page');
if (page) {
  const session = await signIn();
  render(<App session={session} />, page);
}
