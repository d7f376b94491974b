// The default theme in the fonts of the reader's system.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
