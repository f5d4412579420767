// Sets the theme that was chosen last, if any, before the page is drawn.
'use strict';
try {
  const chosen = localStorage.getItem('tengen-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch { /* without storage the system's theme is used */ }
