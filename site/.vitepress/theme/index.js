// Without the theme's web font: the site is small, and looks like the console in system fonts.
export { default } from 'vitepress/theme-without-fonts';
