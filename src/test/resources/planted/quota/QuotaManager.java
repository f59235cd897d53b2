package dev.sluice.quota;

public class QuotaManager {}
