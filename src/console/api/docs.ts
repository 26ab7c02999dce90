import { byId } from '../dom/element.ts';
import { listenToTheme } from '../panels/listenToTheme.ts';
import { searchPages } from './searchPages.ts';
import { TryForm } from './TryForm.ts';

byId('theme', HTMLButtonElement).hidden = false;
listenToTheme(() => {});
searchPages();
if (document.getElementById('try') !== null) new TryForm();
