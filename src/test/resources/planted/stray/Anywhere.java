package dev.sluice.stray;

class Anywhere {}
