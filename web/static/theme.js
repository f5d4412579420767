// Before anything is drawn: the theme that was chosen last, if one was.
'use strict';
try {
  const chosen = localStorage.getItem('tengen-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch { /* without storage the system's theme is used */ }
