/* presets.h - machines by name: topology_text.c reads it, and qemu/run for the number of harts. */
CO_PRESET("sw26010", "4x(1+64)-cas") /* Sunway SW26010: 4 core groups, 260 harts */
CO_PRESET("sw26010pro", "6x(1+64)")  /* Sunway SW26010-Pro: 6 core groups, 390 harts */
CO_PRESET("nm6408", "1+4x(1+4)")     /* NM6408MP: a central hart and 4 clusters, 21 harts */
CO_PRESET("tilepro64", "1x(1+63)")   /* TILEPro64: 64 tiles, one of them manages */
