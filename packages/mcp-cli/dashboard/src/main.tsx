import { render } from 'preact';
import { App } from './app.js';
import { signIn } from './session.js';

const page = document.querySelector('#page');
if (page) {
  const session = await signIn();
  render(<App session={session} />, page);
}
